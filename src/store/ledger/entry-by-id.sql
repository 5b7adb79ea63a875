SELECT
{{columns}}
FROM ledger_entries FINAL
WHERE repository_id = {repositoryId:UInt64}
  AND entry_id = {entryId:String}
  AND state IN ('open', 'closed', 'expired')
