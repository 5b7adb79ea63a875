-- How many entries there are of each state, kind and owner, and how many of these are found.
SELECT
    state,
    kind,
    owner,
    count() AS entries,
    countIf({{found}}) AS found
FROM ledger_entries FINAL
WHERE repository_id = {repositoryId:UInt64}
  AND state IN ('open', 'closed', 'expired')
GROUP BY state, kind, owner
ORDER BY entries DESC, owner, state, kind
LIMIT 20000
