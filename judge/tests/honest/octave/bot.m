1;
while true
  try
    line = input("", "s");
  catch
    break;
  end_try_catch
  if strncmp(line, '{"turn"', 7)
    printf("{\"move\":%d}\n", first(line));
  elseif !strncmp(line, '{"end"', 6)
    printf("{\"ready\":{\"legal_moves\":true}}\n");
  endif
  fflush(stdout);
endwhile
