-- Repositories of which a run is stored, also where nothing was ever reported.
SELECT DISTINCT repository_id AS repositoryId
FROM runs
