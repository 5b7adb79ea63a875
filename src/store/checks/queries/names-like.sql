-- Names of tests (of checks, where these are asked for) that a person may have meant: first what
-- differs in upper and lower case only, then what begins with the given name, then what has it anywhere; of these what
-- failed before what only passed.
SELECT
    if({ofChecks:Bool}, toString(check_name), toString(test_name)) AS name,
    positionCaseInsensitiveUTF8(name, {given:String}) AS at
FROM ({{rows WHERE ({ofChecks:Bool} OR test_name != '')
    AND outcome IN ('failing', 'passing')
    AND positionCaseInsensitiveUTF8(if({ofChecks:Bool}, toString(check_name), toString(test_name)), {given:String}) > 0
    AND check_start_time > toDateTime({from:UInt32}, 'UTC')
    AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}})
WHERE {repository:String} = '' OR base_repo = '' OR lower(base_repo) = {repository:String}
GROUP BY name
HAVING name != {given:String}
ORDER BY
    at = 1 AND lengthUTF8(name) = lengthUTF8({given:String}) DESC,
    at = 1 DESC,
    countIf(outcome = 'failing') > 0 DESC,
    lengthUTF8(name),
    name
LIMIT {most:UInt32}
