with Ada.Strings.Fixed;

package body Rules is
   function First (Line : String) return Character is
     (Line (Ada.Strings.Fixed.Index (Line, """legal"":[") + 9));
end Rules;
