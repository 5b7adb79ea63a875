-- The rows of this repository's own CI, as `src/judge/ledger/row-origin.ts` tells them apart. `repository` and `headRepo` come
-- in lower case; an empty repository takes every row.
SELECT
    *,
    pull_request_number = 0
        AND if(head_ref != '', head_ref IN {trunk:Array(String)}, base_ref = '' OR base_ref IN {trunk:Array(String)}) AS is_trunk,
    ({pullRequestNumber:UInt32} > 0 AND pull_request_number = {pullRequestNumber:UInt32})
        OR ({commitSha:String} != '' AND commit_sha = {commitSha:String})
        OR ({headRef:String} != '' AND head_ref = {headRef:String} AND NOT is_trunk
            AND {headRepo:String} != '' AND lower(head_repo) = {headRepo:String}) AS is_own
FROM ({{rows WHERE {{where}}}})
WHERE {repository:String} = ''
   OR ((base_repo = '' OR lower(base_repo) = {repository:String})
       AND (pull_request_number > 0 OR head_repo = '' OR lower(head_repo) = {repository:String}))
