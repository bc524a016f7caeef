// Keeps so many requests open for some seconds, and tells how many were answered, and how soon.
const {ready, tell, message} = require('../../mpush/node/go');

const SIZE = 100;

// `ask` gives a promise of the answer to a message, which must be the message itself.
exports.keepOpen = async (ask, open) => {
    let number = 0, ok = true;
    const run = async (milliseconds) => {
        const end = performance.now() + milliseconds, seen = [];
        const one = async () => {
            while (performance.now() < end) {
                const asked = message(number++, SIZE), began = performance.now();
                ok = await ask(asked) === asked && ok;
                seen.push(performance.now() - began);
            }
        };
        await Promise.all(Array.from({length: open}, one));
        return seen.sort((left, right) => left - right);
    };
    await run(1000); // while others begin, and code is compiled
    await ready();
    const began = performance.now();
    const seen = await run(2000);
    const at = (part) => seen[Math.floor(part * (seen.length - 1))];
    const seconds = (performance.now() - began) / 1000;
    tell({messages: seen.length, seconds, ok, p50: at(0.5), p99: at(0.99), max: at(1)});
};
