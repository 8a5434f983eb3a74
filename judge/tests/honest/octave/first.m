function move = first(line)
  move = sscanf(line(strfind(line, '"legal":[')+9:end), "%d", 1);
endfunction
