/* Where the device's compiler puts the members of a structure. */
#include "complex.kernel.h"
${definition}
${signature} {
  ${structure} item;
  layout[0] = sizeof(${structure});
  ${offsets}
}
