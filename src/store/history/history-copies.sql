-- How far each copy out of a CI database has come.
SELECT
    repository_id AS repositoryId,
    copied_from AS copiedFrom,
    metric,
    covered,
    counted_hours AS countedHours,
    counted_rows AS countedRows,
    toUnixTimestamp64Milli(checked_at) AS checkedAt,
    trunk,
    problem,
    problem_kind AS problemKind
FROM history_copies FINAL
ORDER BY repository_id, copied_from, metric
