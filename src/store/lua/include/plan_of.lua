-- What a service wrote about its messages: the plans of those that were met in this call, by id; false: there is none.
local function is_plan(plan)
    for _, name in ipairs({'attempts', 'first', 'factor', 'max', 'jitter', 'timeout', 'expire', 'maxLength', 'db'}) do
        if type(plan[name]) ~= 'number' then
            return false
        end
    end
    return type(plan.outs) == 'table' and type(plan.dead) == 'string' and type(plan.server) == 'string'
end

local function plans_in(prefix)
    local plans = {}
    return function(service)
        if service and plans[service] == nil then
            local text = redis.pcall('GET', prefix .. 'plan:' .. service)
            local parsed, plan = pcall(cjson.decode, type(text) == 'string' and text or '')
            plans[service] = parsed and type(plan) == 'table' and is_plan(plan) and plan
        end
        return service and plans[service] or nil
    end
end
