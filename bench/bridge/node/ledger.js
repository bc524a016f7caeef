// What was given and what has arrived: messages are numbered as they are given, requests go around the conversations, and each
// message must arrive once, after all that were given before it in its conversation.
const {randomUUID} = require('crypto');

exports.Ledger = class {
    constructor(conversations, replies) {
        this.ids = Array.from({length: conversations}, () => randomUUID());
        this.arrivedOf = new Array(conversations).fill(0);
        this.scores = new Array(conversations).fill(0); // the last of each
        this.replies = replies;
        this.requests = this.arrived = this.wrong = 0;
        this.times = [];
    }

    nextRequest() {
        const request = this.requests++;
        const conversation = request % this.ids.length;
        const score = Math.max(Date.now(), this.scores[conversation] + 1 / 4096); // of its first reply; the others follow
        this.scores[conversation] = score + (this.replies - 1) / 4096;
        return {request, conversation, score, id: randomUUID()};
    }

    note(request, reply, came) {
        const conversation = request % this.ids.length;
        const place = Math.floor(request / this.ids.length) * this.replies + reply;
        if (this.arrivedOf[conversation]++ !== place) this.wrong += 1;
        this.arrived += 1;
        this.times.push(performance.now() - came);
    }

    // Of what was seen since `before` messages had arrived.
    sum(before, seconds) {
        const seen = this.times.slice(before).sort((left, right) => left - right);
        const at = (part) => seen[Math.floor(part * (seen.length - 1))];
        const ok = this.wrong === 0 && this.arrived === this.requests * this.replies;
        return {messages: seen.length, seconds, ok, p50: at(0.5), p99: at(0.99), max: at(1)};
    }
};

exports.keysOf = (conversation, request, response) => ({
    key: `doc:${conversation}`, list: `doc:${conversation}:req`, request: `doc:req:${request}`, response: `doc:res:${response}`,
    member: JSON.stringify({rqId: request, rsId: response, cnId: conversation})
});
exports.PENDING = 'doc:pendingMessages';
