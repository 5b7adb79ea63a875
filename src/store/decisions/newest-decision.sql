-- When the newest decision was made that is here; 0: there is none.
SELECT toUnixTimestamp64Milli(max(decided_at)) AS decidedAt
FROM decisions
