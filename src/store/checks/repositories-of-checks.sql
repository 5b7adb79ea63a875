-- Repositories of which the bot has CI results; rows that were imported for any belong to none.
SELECT DISTINCT repository_id AS repositoryId
FROM checks
