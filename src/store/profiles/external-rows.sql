-- The stacks of one query of a head in a table in the columns of `perf_flamegraph_stacks_v1`, in the columns of
-- `own-rows.sql`. Of the newest job that ran it: the rows of a job have one time. The index is that of the same head and so
-- names the query where it is known; perf.py writes it behind a text that it cut after 1,000 characters.
SELECT
    if(of_side = 'baseline', 'old', 'new') AS side,
    trace_type,
    stack,
    samples,
    toString(check_start_time) AS run
FROM
(
    SELECT
        side AS of_side,
        trace_type,
        stack,
        samples,
        check_start_time,
        max(check_start_time) OVER () AS newest,
        concat('...(', toString(query_index), ')') AS index_suffix,
        if(length(query_display_name) > 1000 AND lengthUTF8(query_display_name) >= 1000 + length(index_suffix) AND endsWith(query_display_name, index_suffix),
            substringUTF8(query_display_name, 1, lengthUTF8(query_display_name) - length(index_suffix)),
            query_display_name) AS query_name
    FROM ({{columns}})
    WHERE new_sha = {head:String}
      AND event_date >= toDate({since:DateTime64(3, 'UTC')})
      AND test = {test:String}
      AND ({index:UInt32} = 4294967295 OR query_index = {index:UInt32})
      AND ({name:String} = '' OR query_name = {name:String})
      AND arch = ifNull({architecture:Nullable(String)}, '')
      AND baseline_kind IN ('', 'master_head')
      AND side IN ('baseline', 'candidate')
)
WHERE check_start_time = newest
