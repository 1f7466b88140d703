-- Gives a counter what was spent before it was kept here, unless something was
-- settled in it.
--
-- KEYS: the counter. ARGV: what was spent, and how long to keep it in milliseconds.
if redis.call('HEXISTS', KEYS[1], 's') == 1 then return 0 end
redis.call('HSET', KEYS[1], 's', ARGV[1])
redis.call('HINCRBY', KEYS[1], 'u', ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
