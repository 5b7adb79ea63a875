-- The entries of a repository, those that are not closed first. More than these no repository should have.
SELECT
{{columns}}
FROM ledger_entries FINAL
WHERE repository_id = {repositoryId:UInt64}
  AND state IN ('open', 'closed', 'expired')
ORDER BY state = 'closed', last_seen DESC, entry_id
LIMIT 20000
