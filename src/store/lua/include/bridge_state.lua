--- @include bridge_dates
--- @include bridge_rights
--- @include bridge_service
--- @include numbers
--- @include server_time
--- @include sizes
-- What a call knows of its bridge, and what it gathers. `rules` are the settings of the contract. The keys are all below `prefix`:
-- req:<request>, res:<response>, <conversation> with :req and :lock behind it, asyncRequest:<id>, counts, events, state; and
-- `pending`, the sorted set of responses by when they are looked at again. Returns nil and the error when nothing can be done.
local function open_bridge(rules)
    local micros = server_microseconds()
    local now = math.floor(micros / 1000)
    local prefix = rules.prefix
    local size, wrong = size_of('ZCARD', rules.pending)
    if wrong then
        return nil, wrong
    end
    local service, wrong_state = open_service(rules, prefix .. 'state', size, micros, now)
    if wrong_state then
        return nil, wrong_state
    end
    local lease_end = now + rules.pending_ttl
    local bridge = {
        rules = rules, prefix = prefix, pending = rules.pending, out = rules.out, owner = rules.owner, requests = prefix .. 'req:',
        responses = prefix .. 'res:', names = prefix .. 'asyncRequest:', state_key = prefix .. 'state', service = service,
        now = now, now_text = whole(now), lease_due = due_score(lease_end), lease_deadline = whole(lease_end - rules.margin),
        -- Times as texts: Redis would make them of the numbers again and again. A response, and what it belongs to, is kept until leat
        -- has ended it; that its key expires is for the case that nobody ever comes again.
        kept = whole(math.max(rules.keep_ttl, 2 * rules.awaited_ttl)), lease_life = whole(rules.pending_ttl),
        request_life = whole(rules.message_ttl), dedup_life = whole(rules.dedup_ttl),
        room = rules.room, claims = {}, claimed = 0, ready = 0,
        spent = 0, -- see bridge_limits
        refused = '', -- why nothing could be pushed to an origin's list
        counted = {}, dates = {}, origins = {}, fractions = {},
        oldest = {}, behind = {} -- by origin, see bridge_behind
    }
    local denied = may_serve(bridge)
    if denied then
        return nil, denied
    end
    return bridge
end
