DELETE FROM {{table:trunk_history}} WHERE repository_id = {repositoryId:UInt64} AND copied_from = {copiedFrom:String};

-- Last: as long as it is there, what it copied is still to be deleted.
DELETE FROM {{table:history_copies}} WHERE repository_id = {repositoryId:UInt64} AND copied_from = {copiedFrom:String};
