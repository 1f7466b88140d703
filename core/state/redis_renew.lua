-- Puts off the expiry of a hold whose holder lives, and holds again what has expired
-- while the server could not be reached.
--
-- KEYS: the counter, and what is held of it by time of expiry.
-- ARGV: an addend to the clock in microseconds, the hold with its cost, the cost, how
-- long the hold outlives its holder in microseconds, and the least time in
-- milliseconds that the counter is kept.
local time = redis.call('TIME')
local ends = string.format('%.0f', time[1] * 1000000 + time[2] + ARGV[1] + ARGV[4])
if redis.call('ZADD', KEYS[2], ends, ARGV[2]) == 1 then
  redis.call('HINCRBY', KEYS[1], 'u', ARGV[3])
end
for i = 1, 2 do
  if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[5]) then redis.call('PEXPIRE', KEYS[i], ARGV[5]) end
end
return 1
