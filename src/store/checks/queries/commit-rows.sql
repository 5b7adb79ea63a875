-- The rows of one commit, of whichever pull request where its number is not known (-1).
SELECT *
FROM ({{rows WHERE {{where}}
    AND commit_sha = {commitSha:String}
    AND ({pullRequestNumber:Int64} < 0 OR pull_request_number = {pullRequestNumber:Int64})
    AND check_start_time >= toDateTime({from:UInt32}, 'UTC')
    AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}})
WHERE {repository:String} = '' OR base_repo = '' OR lower(base_repo) = {repository:String}
