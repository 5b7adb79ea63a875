DELETE FROM {{table:history_copies}} WHERE repository_id = {repositoryId:UInt64} AND copied_from = {copiedFrom:String}
