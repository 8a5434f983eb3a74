#pragma once
#error No space left on device
