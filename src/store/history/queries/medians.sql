-- The repetitions of each query in each run put together, with both medians: the element at floor(count / 2) of the sorted
-- samples. Equal texts of a run are told apart by their indexes; one that is unknown is the first. A query that was
-- measured on one side only, or whose samples are no numbers from 0, was not compared.
SELECT
    source,
    event_time,
    old_sha,
    new_sha,
    test,
    indexes[place] AS query_index,
    query_name,
    {{query-hash}} AS query_hash,
    arch,
    instance_type,
    toUInt64(place - 1) AS ordinal,
    arraySort(if(length(indexes) = 1, all_olds, arrayFilter((value, index) -> index = query_index, all_olds, old_indexes))) AS olds,
    arraySort(if(length(indexes) = 1, all_news, arrayFilter((value, index) -> index = query_index, all_news, new_indexes))) AS news,
    toInt32(length(olds)) AS n,
    toInt32(length(news)) AS m,
    olds[intDiv(n, 2) + 1] AS old_value,
    news[intDiv(m, 2) + 1] AS new_value,
    1e-12 * greatest(olds[-1], news[-1]) AS tolerance,
    if(abs(new_value - old_value) <= tolerance, 0, abs(new_value - old_value)) AS distance,
    if(distance = 0, 0, (new_value - old_value) / old_value) AS diff
FROM
(
    SELECT
        *,
        if(lowest_index = highest_index, [lowest_index],
            arraySort(index -> toUInt32(index + 1), arrayDistinct(arrayConcat(old_indexes, new_indexes)))) AS indexes,
        arrayJoin(arrayEnumerate(indexes)) AS place
    FROM
    (
        SELECT
            'ci-database' AS source,
            event_time,
            any(old_sha) AS old_sha,
            any(new_sha) AS new_sha,
            any(test) AS test,
            any(query_name) AS query_name,
            any(arch) AS arch,
            any(instance_type) AS instance_type,
            min(query_index) AS lowest_index,
            max(query_index) AS highest_index,
            groupArrayIf(metric_value, NOT is_new) AS all_olds,
            groupArrayIf(metric_value, is_new) AS all_news,
            groupArrayIf(query_index, NOT is_new) AS old_indexes,
            groupArrayIf(query_index, is_new) AS new_indexes
        FROM ({{rows-unmerged WHERE {{where}}}})
        GROUP BY event_time, query_of_run
        HAVING countIf(NOT (isFinite(metric_value) AND metric_value >= 0)) = 0
    )
)
WHERE n > 0 AND m > 0 AND {{where}}
