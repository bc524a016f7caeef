-- The attempts that a message has had, by its hash: nil without retry. What somebody has written there instead counts as all.
local function attempts_of(field, plan)
    if not field then
        return nil
    end
    return string.find(field, '^%d%d?%d?$') and tonumber(field) or plan and plan.attempts or 1
end
