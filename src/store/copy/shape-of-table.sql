-- Columns that are stored, in their order, and the columns by which its rows are spread.
SELECT
    arrayStringConcat(groupArrayIf(name, default_kind NOT IN ('MATERIALIZED', 'ALIAS')), ', ') AS columns,
    arrayStringConcat(groupArrayIf(name, is_in_sorting_key), ', ') AS key
FROM (SELECT name, default_kind, is_in_sorting_key FROM system.columns WHERE database = {database:String} AND table = {table:String} ORDER BY position)
