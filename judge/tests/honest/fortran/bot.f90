program bot
  use rules
  use iso_fortran_env, only: output_unit
  character(65536) :: line
  integer :: ended
  do
    read (*, '(a)', iostat=ended) line
    if (ended /= 0) exit
    if (line(:7) == '{"turn"') then
      print '(3a)', '{"move":', first(line), '}'
    else if (line(:6) /= '{"end"') then
      print '(a)', '{"ready":{"legal_moves":true}}'
    end if
    flush (output_unit)
  end do
end program
