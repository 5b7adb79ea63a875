-- Columns that are stored, in their order, and the columns by which its rows are spread: the hash of a NULL is NULL, so that a row
-- of flags without an ordinal would be in no part.
SELECT
    arrayStringConcat(groupArrayIf(name, default_kind NOT IN ('MATERIALIZED', 'ALIAS')), ', ') AS columns,
    arrayStringConcat(groupArrayIf(name, is_in_sorting_key AND type NOT LIKE '%Nullable%'), ', ') AS key
FROM
    (SELECT name, type, default_kind, is_in_sorting_key FROM system.columns WHERE database = {database:String} AND table = {table:String} ORDER BY position)
