DELETE FROM {{table:trunk_history}} WHERE repository_id = {repositoryId:UInt64} AND copied_from = {copiedFrom:String}
