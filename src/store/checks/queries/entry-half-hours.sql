-- How often a failure was met in each check and half hour, on the trunk (or a release branch) and elsewhere. Alike is a row with the
-- same signature; of a failure without one every row of its name. `notCompared`: rows that were signed by another version
-- of the rule, which can't be told without their output.
SELECT
    check_name AS checkName,
    toUInt32(intDiv(toUnixTimestamp(check_start_time), 1800) * 1800) AS start,
    toUInt8(pull_request_number = 0) AS isTrunk,
    countIf({signatureKind:String} = 'name' OR (signature_rule = {signatureRule:UInt16}
        AND signature_kind = {signatureKind:String} AND signature = {signature:String})) AS hits,
    countIf({signatureKind:String} != 'name' AND signature_rule != {signatureRule:UInt16}) AS notCompared
FROM ({{executions WHERE outcome = 'failing'}})
GROUP BY checkName, start, isTrunk
HAVING hits + notCompared > 0
ORDER BY start, checkName, isTrunk
