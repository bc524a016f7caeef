// How a program that measures itself talks to the harness.
exports.ready = () => new Promise((go) => {
    process.stdin.once('data', go);
    console.log('"ready"');
});
exports.tell = (seen) => {
    console.log(JSON.stringify(seen));
    setInterval(() => {}, 1000); // the harness still looks at our memory
};
exports.message = (number, size) => String(number).padStart(10, '0') + 'x'.repeat(size - 10);
