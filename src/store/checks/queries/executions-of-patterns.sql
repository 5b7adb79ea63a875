-- The executions, passing and failing, of each wanted test whose name has parts that vary: `tests` are patterns
-- (`src/judge/ledger/test-name.ts`), `anyTest` is all of them as one. Every such name stands between `firstName` and `lastName`,
-- so that a table that is ordered by name is read there alone. The patterns are asked of each name once.
SELECT
    wanted,
    evidence.*
FROM ({{evidence WHERE {{where}}
    AND outcome IN ('failing', 'passing')
    AND test_name >= {firstName:String}
    AND test_name <= {lastName:String}
    AND match(test_name, {anyTest:String})
    AND check_start_time > toDateTime({from:UInt32}, 'UTC')
    AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}}) AS evidence
INNER JOIN
(
    SELECT
        wanted,
        name,
        wanted_from,
        wanted_until
    FROM ({{wanted}}) AS wanted
    CROSS JOIN
    (
        SELECT DISTINCT toString(test_name) AS name
        FROM ({{rows WHERE outcome IN ('failing', 'passing')
            AND test_name >= {firstName:String}
            AND test_name <= {lastName:String}
            AND match(test_name, {anyTest:String})
            AND check_start_time > toDateTime({from:UInt32}, 'UTC')
            AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}})
    ) AS names
    WHERE match(name, wanted_name)
) AS wanted ON test_name = name
WHERE check_start_time > wanted_from
  AND check_start_time <= wanted_until
