module rules
contains
  character function first(line)
    character(*), intent(in) :: line
    integer :: at
    at = index(line, '"legal":[') + 9
    first = line(at:at)
  end function
end module
