-- Takes tokens for a batch of requests, each under one or more token buckets, in one atomic step.
--
-- A bucket is kept as one number: the instant (microseconds of this server's own clock) at which it
-- will be full again. Each token moves it `interval` on; it may run at most `capacity` ahead of now.
-- That is a token bucket of capacity/interval tokens refilled one per interval, exactly, in one
-- number that needs no refill step and expires by itself.
--
-- A request passes only if every one of its buckets has the tokens; else none of them is charged.
--
-- Input   KEYS[i]                       the distinct buckets of the batch
--         ARGV[2i-1], ARGV[2i]          of bucket i: interval and capacity, both in microseconds
--         ARGV[2#KEYS+1]                the requests: "1/1*1 1/1*2,20/21*1 9/10*3,…", each naming
--                                       the tokens that it takes from a bucket, and those that the
--                                       next such request wants to be there
-- Output  per request: 1 or 0 (passed), then per bucket of it
--         tokens left, microseconds until the wanted ones (if it passed: one) are there (0: now),
--         microseconds until it is full
-- Events  none
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- Doubles near 1.8e15 step by a quarter: a sum that is short by less than this is not short.
local SLACK = 1

local fullAt, interval, capacity, touched = {}, {}, {}, {}
for i = 1, #KEYS do
  interval[i] = tonumber(ARGV[2 * i - 1])
  capacity[i] = tonumber(ARGV[2 * i])
  fullAt[i] = math.max(tonumber(redis.call('GET', KEYS[i]) or 0), now)
  -- The clock was set back: a bucket cannot owe more than it holds.
  fullAt[i] = math.min(fullAt[i], now + capacity[i])
end

local answer = {}
for request in string.gmatch(ARGV[2 * #KEYS + 1], '[^,]+') do
  local buckets, prices, wanted, passes = {}, {}, {}, 1
  for taken, next, name in string.gmatch(request, '(%d+)/(%d+)%*(%d+)') do
    local i = tonumber(name)
    local price = interval[i] * tonumber(taken)
    buckets[#buckets + 1] = i
    prices[#prices + 1] = price
    wanted[#wanted + 1] = interval[i] * tonumber(next)
    if fullAt[i] + price > now + capacity[i] + SLACK then passes = 0 end
  end
  answer[#answer + 1] = passes
  for at, i in ipairs(buckets) do
    if passes == 1 then
      fullAt[i] = fullAt[i] + prices[at]
      touched[i] = true
      wanted[at] = interval[i]
    end
    local room = now + capacity[i] - fullAt[i]
    answer[#answer + 1] = math.max(0, math.floor((room + SLACK) / interval[i]))
    answer[#answer + 1] = math.ceil(math.max(wanted[at] - room - SLACK, 0))
    answer[#answer + 1] = math.ceil(fullAt[i] - now)
  end
end

for i in pairs(touched) do
  -- %.17g: tostring would round to 14 digits, and microseconds since 1970 have 16.
  local ttlMs = math.ceil((fullAt[i] - now) / 1000) + 1
  redis.call('SET', KEYS[i], string.format('%.17g', fullAt[i]), 'PX', ttlMs)
end
return answer
