-- Ids of commits that begin with the given digits: some of them, since who asks wants one.
SELECT DISTINCT toString(commit_sha) AS commitSha
FROM ({{rows WHERE startsWith(commit_sha, {beginning:String})
    AND check_start_time >= toDateTime({from:UInt32}, 'UTC')}})
ORDER BY commitSha
LIMIT {most:UInt32}
