-- Puts what was used in the place of what was taken.
--
-- KEYS: as in the script that takes.
-- ARGV: an addend to the clock in microseconds, again ('1' when an earlier try may
-- have been carried out, though nobody heard of it, and the hold cannot have expired
-- since), and for each limit four: r, then by how much the time is put off, in
-- microseconds; or h, then the hold with its cost, what was used, and the used less
-- the cost; and then the least time in milliseconds that the counter is kept.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
local again = ARGV[2] == '1'

local function int(n) return string.format('%.0f', n) end

local out = {}
for i = 1, #KEYS / 2 do
  local counter, held, at = KEYS[2 * i - 1], KEYS[2 * i], 3 + 5 * (i - 1)
  if ARGV[at] == 'r' then
    local by, clear = tonumber(ARGV[at + 1]), tonumber(redis.call('GET', counter) or '0')
    if by ~= 0 and not again then
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
    local used = ARGV[at + 2]
    local there = redis.call('ZREM', held, ARGV[at + 1]) == 1
    if there then
      redis.call('HINCRBY', counter, 'u', ARGV[at + 3])
    elseif used ~= '0' and not again then -- the hold has expired, or there was none
      redis.call('HINCRBY', counter, 'u', used)
    end
    if used ~= '0' and (there or not again) then
      redis.call('HINCRBY', counter, 's', used)
      if redis.call('PTTL', counter) < tonumber(ARGV[at + 4]) then redis.call('PEXPIRE', counter, ARGV[at + 4]) end
    end
    out[#out + 1] = redis.call('HGET', counter, 'u') or '0'
    out[#out + 1] = redis.call('HGET', counter, 's') or '0'
  end
end
return out
