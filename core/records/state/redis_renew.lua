-- Puts off the expiry of holds whose holder lives, and holds again what has expired
-- while the server could not be reached.
--
-- KEYS: for each hold its counter, and what is held of that by time of expiry.
-- ARGV: an addend to the clock in microseconds, and for each hold four: its name with
-- its cost, the cost, how long it outlives its holder in microseconds, and the least
-- time in milliseconds that the counter is kept.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
for i = 1, #KEYS / 2 do
  local counter, held, at = KEYS[2 * i - 1], KEYS[2 * i], 2 + 4 * (i - 1)
  if redis.call('ZADD', held, string.format('%.0f', now + ARGV[at + 2]), ARGV[at]) == 1 then
    redis.call('HINCRBY', counter, 'u', ARGV[at + 1])
  end
  for _, key in ipairs({counter, held}) do
    if redis.call('PTTL', key) < tonumber(ARGV[at + 3]) then redis.call('PEXPIRE', key, ARGV[at + 3]) end
  end
end
return 1
