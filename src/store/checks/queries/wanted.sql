-- The histories that are asked for, one row each: its number, the name of the test (or check), seconds since 1970 after
-- which and until which it goes.
SELECT
    tupleElement(history, 1) AS wanted,
    tupleElement(history, 2) AS wanted_name,
    toDateTime(tupleElement(history, 3), 'UTC') AS wanted_from,
    toDateTime(tupleElement(history, 4), 'UTC') AS wanted_until
FROM
(
    SELECT arrayJoin(arrayZip(
        {numbers:Array(UInt32)},
        {tests:Array(String)},
        {froms:Array(UInt32)},
        {untils:Array(UInt32)}
    )) AS history
)
