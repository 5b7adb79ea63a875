-- One entry of the ledger.
SELECT
    entry_id AS entryId,
    kind,
    state,
    test_name AS testName,
    check_name AS checkName,
    signature,
    toUnixTimestamp64Milli(first_seen) AS firstSeen,
    toUnixTimestamp64Milli(last_seen) AS lastSeen,
    toUnixTimestamp64Milli(opened_at) AS openedAt,
    toUnixTimestamp64Milli(closed_at) AS closedAt,
    toUnixTimestamp64Milli(expires_at) AS expiresAt,
    reopened,
    hits_1 AS hits1,
    hits_7 AS hits7,
    hits_30 AS hits30,
    unrelated_pull_requests AS unrelatedPullRequests,
    trunk_hits AS trunkHits,
    owner,
    issue
FROM ledger_entries FINAL
WHERE repository_id = {repositoryId:UInt64}
  AND state IN ('open', 'closed', 'expired')
  AND entry_id = {entryId:String}
