({text:String} = ''
        OR positionCaseInsensitiveUTF8(test_name, {text:String}) > 0
        OR positionCaseInsensitiveUTF8(check_name, {text:String}) > 0
        OR positionCaseInsensitiveUTF8(signature, {text:String}) > 0)
    AND ({kind:String} = '' OR kind = {kind:String})
    AND ({state:String} = '' OR state = {state:String})
    AND ({owner:String} = '' OR ifNull(owner, '-') = {owner:String})
