-- Appends events to the streams of their partitions, in order, and stops at the first that fails.
--
-- One script and not a pipeline: a pipeline would go on behind a failed event, and the retry would
-- bring it after its successors.
--
-- Input   KEYS[1]   the relay's lease; KEYS[2…] the stream of each event, in order
--         ARGV[1]   holder of the lease      ARGV[2]  its length in ms
--         ARGV[3]   length of a stream       ARGV[4]  age of an entry, in ms, by this server's clock
--         ARGV[5…]  per event: id, topic, partition, created_at, payload
-- Output  -1: another relay holds the lease, nothing done; else the number of events appended
--         (fewer than given: the next one failed, as when the memory is full)
-- Events  one stream entry per event
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return -1 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])

local time = redis.call('TIME')
local oldest = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[4])
local trimmed, appended = {}, 0
for i = 2, #KEYS do
  local at = 5 + (i - 2) * 5
  local entry = redis.pcall('XADD', KEYS[i], 'MAXLEN', '~', ARGV[3], '*',
    'id', ARGV[at], 'topic', ARGV[at + 1], 'partition', ARGV[at + 2],
    'created_at', ARGV[at + 3], 'payload', ARGV[at + 4])
  if type(entry) == 'table' and entry.err then return appended end
  appended = appended + 1
  if not trimmed[KEYS[i]] then
    redis.call('XTRIM', KEYS[i], 'MINID', '~', oldest)
    trimmed[KEYS[i]] = true
  end
end
return appended
