-- Takes from all limits, or from none.
--
-- KEYS: two for each limit: its counter, and what is held of it by time of expiry.
-- ARGV: an addend to the clock in microseconds, the name of the hold, and for each
-- limit: r, then what its cost puts the time off by and the tolerance, 0; or h, then
-- cost, maximum, and the least time in milliseconds that the counter is kept;
-- and then, for both, how long a hold outlives its holder, in microseconds.
--
-- A counter of a rate is the time in microseconds at which nothing is taken any
-- more. Other counters are a hash: u is what is settled and held, s what is settled.
-- Amounts never become numbers of Lua, which are exact to 2^53 only; times stay
-- below that.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
local hold = ARGV[2]

local function int(n) return string.format('%.0f', n) end

-- fits compares two amounts of which the second is not negative.
local function fits(a, b)
  if string.sub(a, 1, 1) == '-' then return true end
  if #a ~= #b then return #a < #b end
  return a <= b
end

-- purge takes back what is held by whoever has died, and forgets what was settled
-- long ago.
local function purge(counter, held)
  local gone = redis.call('ZRANGEBYSCORE', held, '-inf', int(now))
  for _, member in ipairs(gone) do
    local cost = string.match(member, '(%d+)$')
    if cost ~= '0' then redis.call('HINCRBY', counter, 'u', '-' .. cost) end
    redis.call('ZREM', held, member)
  end
end

local n = #KEYS / 2
local ok, short, ahead = true, {}, {}
for i = 1, n do
  local counter, held, at = KEYS[2 * i - 1], KEYS[2 * i], 3 + 5 * (i - 1)
  local cost, most = ARGV[at + 1], ARGV[at + 2]
  short[i] = '0'
  if ARGV[at] == 'r' then
    local clear = tonumber(redis.call('GET', counter) or '0')
    ahead[i] = math.max(clear - now, 0)
    if cost ~= '0' and ahead[i] + cost > tonumber(most) then short[i] = '1' end
  else
    purge(counter, held)
    if cost ~= '0' then
      redis.call('HINCRBY', counter, 'u', cost)
      if not fits(redis.call('HGET', counter, 'u'), most) then short[i] = '1' end
    end
  end
  if short[i] == '1' then ok = false end
end

local out = {ok and '1' or '0'}
for i = 1, n do
  local counter, held, at = KEYS[2 * i - 1], KEYS[2 * i], 3 + 5 * (i - 1)
  local cost = ARGV[at + 1]
  if ARGV[at] == 'r' then
    if ok and cost ~= '0' then
      ahead[i] = ahead[i] + cost
      redis.call('SET', counter, int(now + ahead[i]), 'PX', int(math.ceil(ahead[i] / 1000) + 1000))
    end
    out[#out + 1] = short[i]
    out[#out + 1] = int(ahead[i])
    out[#out + 1] = '0'
  else
    if cost ~= '0' then
      local kept = math.max(tonumber(ARGV[at + 3]), 2 * ARGV[at + 4] / 1000)
      if ok then
        redis.call('ZADD', held, int(now + ARGV[at + 4]), hold .. ':' .. cost)
        redis.call('PEXPIRE', held, int(kept))
      else
        redis.call('HINCRBY', counter, 'u', '-' .. cost)
      end
      if redis.call('PTTL', counter) < kept then redis.call('PEXPIRE', counter, int(kept)) end
    end
    out[#out + 1] = short[i]
    out[#out + 1] = redis.call('HGET', counter, 'u') or '0'
    out[#out + 1] = redis.call('HGET', counter, 's') or '0'
  end
end
return out
