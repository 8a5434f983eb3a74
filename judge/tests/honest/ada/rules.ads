package Rules is
   function First (Line : String) return Character;
end Rules;
