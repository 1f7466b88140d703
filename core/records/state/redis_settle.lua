-- Puts what was used in the place of what was taken, once: a settled hold of which
-- something was used, or that had expired, is remembered for a while, as one that costs
-- nothing.
--
-- KEYS: as in the script that takes.
-- ARGV: an addend to the clock in microseconds, how long a settled hold is remembered
-- in microseconds, the name of the hold, and for each limit: r, then by how much the
-- time is put off, in microseconds; or h, then the cost, what was used, the used less
-- the cost, and the least time in milliseconds that the counter is kept.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
local hold = ARGV[3]

local function int(n) return string.format('%.0f', n) end

local out = {}
for i = 1, #KEYS / 2 do
  local counter, held, at = KEYS[2 * i - 1], KEYS[2 * i], 4 + 5 * (i - 1)
  if ARGV[at] == 'r' then
    local by, clear = tonumber(ARGV[at + 1]), tonumber(redis.call('GET', counter) or '0')
    if by ~= 0 then
      if by > 0 then clear = math.max(clear, now) end
      clear = clear + by
      if clear > now then
        redis.call('SET', counter, int(clear), 'PX', int(math.ceil((clear - now) / 1000) + 1000))
      else
        redis.call('DEL', counter)
      end
    end
    out[#out + 1] = int(math.max(clear - now, 0))
    out[#out + 1] = '0'
  else
    local used, done = ARGV[at + 2], hold .. ':0'
    if used == '0' or not redis.call('ZSCORE', held, done) then
      local cost, found = ARGV[at + 1], false
      if cost ~= '0' then found = redis.call('ZREM', held, hold .. ':' .. cost) == 1 end
      if found then
        redis.call('HINCRBY', counter, 'u', ARGV[at + 3])
      elseif used ~= '0' then -- the hold has expired, or there was none
        redis.call('HINCRBY', counter, 'u', used)
      end
      if used ~= '0' then redis.call('HINCRBY', counter, 's', used) end
      if used ~= '0' or (cost ~= '0' and not found) then -- a renewal on its way must not hold it again
        redis.call('ZADD', held, int(now + ARGV[2]), done)
        for _, key in ipairs({counter, held}) do
          if redis.call('PTTL', key) < tonumber(ARGV[at + 4]) then redis.call('PEXPIRE', key, ARGV[at + 4]) end
        end
      end
    end
    out[#out + 1] = redis.call('HGET', counter, 'u') or '0'
    out[#out + 1] = redis.call('HGET', counter, 's') or '0'
  end
end
return out
