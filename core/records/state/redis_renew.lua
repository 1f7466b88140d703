-- Puts off the expiry of holds whose holder is alive, and returns the numbers of those
-- that it does not find: they were settled or have expired. If told so, it holds those
-- again that were not settled.
--
-- KEYS: for each hold its counter, and what is held of that by time of expiry.
-- ARGV: an addend to the clock in microseconds, 1 to hold again what is not found, and
-- for each hold four: its name, the cost, how long it outlives its holder in
-- microseconds, and the least time in milliseconds that the counter is kept.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
local again = ARGV[2] == '1'
local missing = {}
for i = 1, #KEYS / 2 do
  local counter, held, at = KEYS[2 * i - 1], KEYS[2 * i], 3 + 4 * (i - 1)
  local member = ARGV[at] .. ':' .. ARGV[at + 1]
  local found = redis.call('ZSCORE', held, member)
  if not found then
    missing[#missing + 1] = i
    -- a hold that was settled has left a mark
    found = again and not redis.call('ZSCORE', held, ARGV[at] .. ':0')
    if found then redis.call('HINCRBY', counter, 'u', ARGV[at + 1]) end
  end
  if found then
    redis.call('ZADD', held, string.format('%.0f', now + ARGV[at + 2]), member)
    for _, key in ipairs({counter, held}) do
      if redis.call('PTTL', key) < tonumber(ARGV[at + 3]) then redis.call('PEXPIRE', key, ARGV[at + 3]) end
    end
  end
end
return missing
