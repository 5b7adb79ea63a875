-- Texts that stand more than once in a test. Most do not, and of the others most have only moved to another index once:
-- the runs are looked at one by one for those alone.
SELECT query_hash
FROM ({{rows-unmerged WHERE {{where}}}})
WHERE query_hash IN (
    SELECT query_hash
    FROM ({{rows-unmerged WHERE {{where}}}})
    GROUP BY query_hash
    HAVING min(query_index) != max(query_index))
GROUP BY query_hash, source, arch, event_time, new_sha
HAVING uniqExact(query_index) > 1
