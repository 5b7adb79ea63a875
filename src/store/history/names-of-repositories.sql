-- What repositories were called when they were reported on last.
SELECT repository_id AS repositoryId, argMax(owner, stored_at) AS lastOwner, argMax(name, stored_at) AS lastName
FROM reports
GROUP BY repository_id
