-- Some of the entries that are found, in one of many orders. `direction` is 1, or -1 for the other way round; equal ones
-- stand the worst first: expired, open, closed, and within these by hits in 7 days, pull requests and hits in 30 days.
SELECT
{{columns}}
FROM ledger_entries FINAL
WHERE repository_id = {repositoryId:UInt64}
  AND state IN ('open', 'closed', 'expired')
  AND {{found}}
ORDER BY
    {sort:String} = 'owner' AND owner IS NULL,
    {direction:Int8} * multiIf(
        {sort:String} = 'hits-1', -toInt64(hits_1),
        {sort:String} = 'hits-7', -toInt64(hits_7),
        {sort:String} = 'hits-30', -toInt64(hits_30),
        {sort:String} = 'pull-requests', -toInt64(unrelated_pull_requests),
        {sort:String} = 'trunk', -toInt64(trunk_hits),
        {sort:String} = 'reopened', -toInt64(reopened),
        {sort:String} = 'first-seen', toUnixTimestamp64Milli(first_seen),
        {sort:String} = 'last-seen', -toUnixTimestamp64Milli(last_seen),
        {sort:String} = 'opened', toUnixTimestamp64Milli(opened_at),
        {sort:String} = 'expires', toUnixTimestamp64Milli(expires_at),
        toInt64(0)),
    if({direction:Int8} > 0, multiIf({sort:String} = 'test', test_name, {sort:String} = 'check', toString(check_name), {sort:String} = 'owner', ifNull(owner, ''), ''), ''),
    if({direction:Int8} < 0, multiIf({sort:String} = 'test', test_name, {sort:String} = 'check', toString(check_name), {sort:String} = 'owner', ifNull(owner, ''), ''), '') DESC,
    if({sort:String} = 'worst', {direction:Int8}, 1) * transform(state, ['expired', 'open'], [0, 1], 2),
    if({sort:String} = 'worst', {direction:Int8}, 1) * -toInt64(hits_7),
    if({sort:String} = 'worst', {direction:Int8}, 1) * -toInt64(unrelated_pull_requests),
    if({sort:String} = 'worst', {direction:Int8}, 1) * -toInt64(hits_30),
    last_seen DESC,
    entry_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
