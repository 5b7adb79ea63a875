-- Whether there is a stack of any run of a head, be it replaced or of a table that may not be used any more: most heads have none, and
-- then no query of theirs needs to be asked for.
SELECT count() > 0 AS found
FROM
(
    SELECT 1
    FROM stacks
    WHERE repository_id = {repositoryId:UInt64}
      AND run_id GLOBAL IN (
          SELECT run_id
          FROM runs
          WHERE repository_id = {repositoryId:UInt64}
            AND head = {head:String})
    LIMIT 1
)
