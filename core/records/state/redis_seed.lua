-- Raises what was settled in a counter to what the records say was spent, when it is
-- below that.
--
-- KEYS: the counter. ARGV: what was spent, and how long to keep it in milliseconds.
-- Both sums are whole numbers without a sign or leading zeros; they are compared as
-- texts, as Lua's numbers would round them.
local spent, settled = ARGV[1], redis.call('HGET', KEYS[1], 's') or '0'
if #settled > #spent or (#settled == #spent and settled >= spent) then return 0 end
if settled ~= '0' then redis.call('HINCRBY', KEYS[1], 'u', '-' .. settled) end
redis.call('HINCRBY', KEYS[1], 'u', spent)
redis.call('HSET', KEYS[1], 's', spent)
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
