// The only file of the judge's that sees your headers: nothing that they name or define can
// meet a name of main.cpp, and macros of theirs that change it change your own answers only. It is added when your submission is built; do not hand it in.
#include "Cat.h"
#include "Catcher.h"
#include "judge_note.h"

#include <type_traits>

// Never deleted: IAgent has no virtual destructor, and the process ends soon anyway. The cast
// is the one that a privately inherited IAgent allows, too.
#define JUDGE_NEW_AGENT(NAME)                                                                  \
    static_assert(std::is_base_of_v<IAgent, NAME>,                                             \
                  "the class " #NAME " does not inherit from IAgent");                         \
    static_assert(!std::is_abstract_v<NAME>,                                                   \
                  "the class " #NAME " does not override IAgent's move(const "                 \
                  "std::vector<bool>&, std::pair<int,int>, int)");                             \
    static_assert(std::is_default_constructible_v<NAME>,                                       \
                  "the class " #NAME " has no public constructor without arguments");          \
    return (IAgent*)new NAME;

extern "C" {

IAgent* judge_new_cat() { JUDGE_NEW_AGENT(Cat) }
IAgent* judge_new_catcher() { JUDGE_NEW_AGENT(Catcher) }

// The agent's words with its move; the caller clears them.
char* judge_note_said() { return judge_said::note; }
char* judge_marks_said() { return judge_said::marks; }

}
