DELETE FROM {{table:stacks}} WHERE repository_id = {repositoryId:UInt64} AND copied_from = {copiedFrom:String};
